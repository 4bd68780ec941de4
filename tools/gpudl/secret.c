/* secret.c - see secret.h. */
#include "tools/gpudl/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

void secret_forget(void *secret, size_t size)
{
    explicit_bzero(secret, size);
}

/* ---- files */

static char *read_open(FILE *file, size_t most)
{
    char *text = malloc(most + 2);
    size_t n = text ? fread(text, 1, most + 1, file) : 0;

    if (text && (ferror(file) || n > most)) {
        errno = n > most ? EFBIG : errno;
        secret_forget(text, n);
        free(text);
        return NULL;
    }
    if (text)
        text[n] = '\0';
    return text;
}

char *secret_read_text(const struct command *command, const char *path, size_t most)
{
    FILE *file = fopen(path, "rbe");
    char *text = NULL;
    int error;

    if (file) {
        setvbuf(file, NULL, _IONBF, 0); /* no copy of a secret stays behind */
        text = read_open(file, most);
    }
    error = errno;
    if (file)
        fclose(file);
    if (!text)
        command_failed(command, "%s: %s", path, strerror(error));
    return text;
}

void secret_warn(const struct command *command, const char *path)
{
    struct stat st;

    if (stat(path, &st) == 0 && (st.st_mode & 077))
        command_failed(
            command, "warning: %s: others can read it (mode %04o): `chmod 600` it", path, (unsigned)(st.st_mode & 07777));
}

static bool write_all(int fd, const char *text, unsigned mode)
{
    size_t done = 0, size = strlen(text);

    while (done < size) {
        ssize_t n = write(fd, text + done, size - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return fchmod(fd, mode) == 0 && fsync(fd) == 0;
}

/* linkat() does not replace, renameat() does. */
static bool give_name(const char *temporary, const char *path, bool replace)
{
    int error;
    bool named;

    if (replace)
        return rename(temporary, path) == 0;
    named = link(temporary, path) == 0;
    error = errno;
    unlink(temporary);
    errno = error;
    return named;
}

int secret_write(const struct command *command, const char *path, const char *text, unsigned mode, bool replace)
{
    char temporary[PATH_MAX];
    bool written;
    int fd, error;

    if (snprintf(temporary, sizeof(temporary), "%s.new-%ld", path, (long)getpid()) >= (int)sizeof(temporary))
        return command_failed(command, "%s: %s", path, strerror(ENAMETOOLONG));
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return command_failed(command, "%s: %s", path, strerror(errno));
    written = write_all(fd, text, mode);
    error = errno;
    close(fd);
    if (!written) {
        unlink(temporary);
        return command_failed(command, "%s: %s", path, strerror(error));
    }
    if (give_name(temporary, path, replace))
        return STATUS_OK;
    error = errno;
    unlink(temporary);
    return command_failed(command, "%s: %s%s", path, strerror(error), error == EEXIST ? ": --force replaces it" : "");
}

/* ---- passwords */

static struct termios shown;

/* Whoever interrupts this gets the terminal back as it was. */
static void show_again(int signal)
{
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    raise(signal); /* its handler is the default one again */
}

static bool hide(void)
{
    struct sigaction action = { .sa_handler = show_again, .sa_flags = (int)SA_RESETHAND };
    struct termios hidden;

    if (tcgetattr(STDIN_FILENO, &shown) != 0)
        return false;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    hidden.c_lflag |= ICANON;
    return tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
}

static void show(void)
{
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    fputc('\n', stderr);
}

/* The next line of standard input, byte by byte, so that no copy stays in a buffer and the next one is still there. */
static bool read_line(char *line, size_t size)
{
    size_t n = 0;
    ssize_t got = 1;
    char c = '\0';

    while ((got = read(STDIN_FILENO, &c, 1)) != 0 && c != '\n') {
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0 && n + 1 >= size)
            return false;
        if (got > 0)
            line[n++] = c;
    }
    line[n] = '\0';
    return got > 0 || n > 0;
}

int secret_password(const struct command *command, const char *prompt, char password[PASSWORD_SIZE])
{
    bool terminal = isatty(STDIN_FILENO), read;

    if (terminal) {
        fputs(prompt, stderr);
        fflush(stderr);
        if (!hide())
            return command_failed(command, "the terminal would show the password: %s", strerror(errno));
    }
    read = read_line(password, PASSWORD_SIZE);
    if (terminal)
        show();
    return read ? STATUS_OK : command_failed(command, "no password of at most %d bytes was given", PASSWORD_SIZE - 1);
}
