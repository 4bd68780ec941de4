#include "bench/driver/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 16
#define MAX_ROWS 200
#define MAX_NOTES 8
#define TEXT_SIZE 160

struct cell {
    bool is_time;
    double ns;
    char text[TEXT_SIZE];
};

static struct {
    FILE *json, *parent;
    bool first_table, open;
    char title[TEXT_SIZE], notes[MAX_NOTES][4 * TEXT_SIZE];
    unsigned ncolumns, nrows, ncells, nnotes;
    struct cell head[MAX_COLUMNS], rows[MAX_ROWS][MAX_COLUMNS];
} t;

/* ----------------------------------------------------------------------------------------------------------------------- JSON */

static void json_text(const char *text)
{
    fputc('"', t.json);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', t.json);
        if ((unsigned char)*text >= ' ')
            fputc(*text, t.json);
    }
    fputc('"', t.json);
}

static void json_row(const struct cell *cells)
{
    fputc('[', t.json);
    for (unsigned i = 0; i < t.ncolumns; i++) {
        fputs(i ? ", " : "", t.json);
        if (cells[i].is_time)
            fprintf(t.json, "%.1f", cells[i].ns);
        else
            json_text(cells[i].text);
    }
    fputc(']', t.json);
}

static void json_table(void)
{
    if (!t.json)
        return;
    fprintf(t.json, "%s\n  {\"title\": ", t.first_table ? "" : ",");
    t.first_table = false;
    json_text(t.title);
    fputs(", \"columns\": ", t.json);
    json_row(t.head);
    fputs(", \"times_in\": \"ns\", \"rows\": [", t.json);
    for (unsigned r = 0; r < t.nrows; r++) {
        fputs(r ? ",\n    " : "\n    ", t.json);
        json_row(t.rows[r]);
    }
    fputs("], \"notes\": [", t.json);
    for (unsigned n = 0; n < t.nnotes; n++) {
        fputs(n ? ", " : "", t.json);
        json_text(t.notes[n]);
    }
    fputs("]}", t.json);
}

void tables_begin(FILE *json, const char *name, const char *question, const char *driver, bool quick)
{
    t.json = json;
    t.first_table = true;
    printf("%s: %s\n%s%s\n", name, question, driver, quick ? "; quick: too few samples for figures" : "");
    if (!json)
        return;
    fputs("{\"experiment\": ", json);
    json_text(name);
    fputs(", \"question\": ", json);
    json_text(question);
    fputs(", \"driver\": ", json);
    json_text(driver);
    fprintf(json, ", \"quick\": %s, \"tables\": [", quick ? "true" : "false");
}

/* ------------------------------------------------------------------------------------------------------------------- markdown */

static void print_row(const struct cell *cells, const int *widths)
{
    for (unsigned i = 0; i < t.ncolumns; i++)
        printf("| %-*s ", widths[i], cells[i].text);
    puts("|");
}

static void print_table(void)
{
    int widths[MAX_COLUMNS];

    for (unsigned c = 0; c < t.ncolumns; c++) {
        widths[c] = (int)strlen(t.head[c].text);
        for (unsigned r = 0; r < t.nrows; r++)
            if ((int)strlen(t.rows[r][c].text) > widths[c])
                widths[c] = (int)strlen(t.rows[r][c].text);
    }
    printf("\n%s\n\n", t.title);
    print_row(t.head, widths);
    for (unsigned c = 0; c < t.ncolumns; c++)
        printf("|---");
    puts("|");
    for (unsigned r = 0; r < t.nrows; r++)
        print_row(t.rows[r], widths);
    for (unsigned n = 0; n < t.nnotes; n++)
        printf("\n%s\n", t.notes[n]);
    fflush(stdout);
}

static void table_end(void)
{
    if (!t.open)
        return;
    if (t.ncells)
        row_end();
    print_table();
    json_table();
    t.open = false;
}

void tables_end(void)
{
    table_end();
    if (t.json)
        fputs("\n]}\n", t.json);
}

void table_begin(const char *title, const char *columns)
{
    char names[8 * TEXT_SIZE], *at = names, *name;

    table_end();
    t.open = true;
    t.nrows = t.ncells = t.nnotes = t.ncolumns = 0;
    memset(t.rows, 0, sizeof(t.rows));
    memset(t.head, 0, sizeof(t.head));
    snprintf(t.title, sizeof(t.title), "%s", title);
    snprintf(names, sizeof(names), "%s", columns);
    while ((name = strsep(&at, "|")) && t.ncolumns < MAX_COLUMNS)
        snprintf(t.head[t.ncolumns++].text, TEXT_SIZE, "%s", name);
}

/* ---------------------------------------------------------------------------------------------------------------------- cells */

static struct cell *next_cell(void)
{
    if (!t.open || t.nrows == MAX_ROWS || t.ncells == t.ncolumns) {
        fprintf(
            stderr, "table \"%s\": a cell too many (row %u of at most %u, %u columns)\n", t.title, t.nrows, MAX_ROWS, t.ncolumns);
        abort();
    }
    return &t.rows[t.nrows][t.ncells++];
}

void cell_text(const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '|')
            *c = ' ';
    if (t.parent)
        fprintf(t.parent, "text %s\n", text);
    else
        memcpy(next_cell()->text, text, sizeof(text));
}

void cell_ns(double ns)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };
    unsigned u = 0;
    struct cell *c;
    double value;

    if (ns < 0) {
        cell_text("%s", "");
        return;
    }
    if (t.parent) {
        fprintf(t.parent, "time %.1f\n", ns);
        return;
    }
    while (u < 3 && ns >= 1000 * units[u].unit)
        u++;
    value = ns / units[u].unit;
    c = next_cell();
    c->is_time = true;
    c->ns = ns;
    snprintf(c->text, TEXT_SIZE, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[u].name);
}

void row_end(void)
{
    if (t.parent) {
        fputs("row\n", t.parent);
        return;
    }
    t.ncells = 0;
    t.nrows++;
}

unsigned table_cells(void)
{
    return t.ncells;
}

void table_note(const char *format, ...)
{
    va_list ap;

    if (t.nnotes == MAX_NOTES)
        return;
    va_start(ap, format);
    vsnprintf(t.notes[t.nnotes++], sizeof(t.notes[0]), format, ap);
    va_end(ap);
}

void table_send_to(FILE *f)
{
    setlinebuf(f);
    t.parent = f;
}

bool table_receive(const char *line)
{
    if (strncmp(line, "text ", 5) == 0)
        cell_text("%s", line + 5);
    else if (strncmp(line, "time ", 5) == 0)
        cell_ns(strtod(line + 5, NULL));
    else if (strcmp(line, "row") == 0)
        row_end();
    else
        return false;
    return true;
}
