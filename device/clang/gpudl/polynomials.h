/* polynomials.h - made by device/polynomials.py: coefficients, the highest power first. Of fits, the last number is their error. */
#pragma once
#pragma clang system_header
/* exp(x) = 1 + x + x^2 P(x) */
static constexpr double gpudl_exp_fit[] = {
    0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26, 0x1.27e4fb7789f5cp-22,
    0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10,
    0x1.1111111111111p-7, 0x1.5555555555555p-5, 0x1.5555555555555p-3, 0x1.0000000000000p-1,
};
/* exp(x) = 1 + x + x^2 P(x) */
static constexpr float gpudl_expf_fit[] = {
    0x1.a01a020000000p-13f, 0x1.6c16c20000000p-10f, 0x1.1111120000000p-7f, 0x1.5555560000000p-5f, 0x1.5555560000000p-3f,
    0x1.0000000000000p-1f,
};
GPUDL_DEVICE double gpudl_exp_series(double x) { return gpudl_polynomial(gpudl_exp_fit, x); }
GPUDL_DEVICE float gpudl_exp_series(float x) { return gpudl_polynomial(gpudl_expf_fit, x); }
/* 2 atanh(s) = 2s + s^3 P(s^2) */
static constexpr double gpudl_log_fit[] = {
    0x1.642c8590b2164p-4, 0x1.8618618618618p-4, 0x1.af286bca1af28p-4, 0x1.e1e1e1e1e1e1ep-4,
    0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3, 0x1.745d1745d1746p-3, 0x1.c71c71c71c71cp-3,
    0x1.2492492492492p-2, 0x1.999999999999ap-2, 0x1.5555555555555p-1,
};
/* 2 atanh(s) = 2s + s^3 P(s^2) */
static constexpr float gpudl_logf_fit[] = {
    0x1.745d180000000p-3f, 0x1.c71c720000000p-3f, 0x1.24924a0000000p-2f, 0x1.99999a0000000p-2f, 0x1.5555560000000p-1f,
};
GPUDL_DEVICE double gpudl_log_series(double x) { return gpudl_polynomial(gpudl_log_fit, x); }
GPUDL_DEVICE float gpudl_log_series(float x) { return gpudl_polynomial(gpudl_logf_fit, x); }
/* 2 atanh(s) = 2s + s^3 (2/3 + s^2 P(s^2)) */
static constexpr double gpudl_log_rest_fit[] = {
    0x1.47ae147ae147bp-4, 0x1.642c8590b2164p-4, 0x1.8618618618618p-4, 0x1.af286bca1af28p-4,
    0x1.e1e1e1e1e1e1ep-4, 0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3, 0x1.745d1745d1746p-3,
    0x1.c71c71c71c71cp-3, 0x1.2492492492492p-2, 0x1.999999999999ap-2,
};
/* 2 atanh(s) = 2s + s^3 (2/3 + s^2 P(s^2)) */
static constexpr float gpudl_log_restf_fit[] = {
    0x1.3b13b20000000p-3f, 0x1.745d180000000p-3f, 0x1.c71c720000000p-3f, 0x1.24924a0000000p-2f, 0x1.99999a0000000p-2f,
};
GPUDL_DEVICE double gpudl_log_rest_series(double x) { return gpudl_polynomial(gpudl_log_rest_fit, x); }
GPUDL_DEVICE float gpudl_log_rest_series(float x) { return gpudl_polynomial(gpudl_log_restf_fit, x); }
/* sin(x) = x + x^3 P(x^2) */
static constexpr double gpudl_sin_fit[] = {
    0x1.952c77030ad4ap-49, -0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33, -0x1.ae64567f544e4p-26,
    0x1.71de3a556c734p-19, -0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7, -0x1.5555555555555p-3,
};
/* sin(x) = x + x^3 P(x^2) */
static constexpr float gpudl_sinf_fit[] = {
    0x1.71de3a0000000p-19f, -0x1.a01a020000000p-13f, 0x1.1111120000000p-7f, -0x1.5555560000000p-3f,
};
GPUDL_DEVICE double gpudl_sin_series(double x) { return gpudl_polynomial(gpudl_sin_fit, x); }
GPUDL_DEVICE float gpudl_sin_series(float x) { return gpudl_polynomial(gpudl_sinf_fit, x); }
/* cos(x) = 1 - x^2/2 + x^4 P(x^2) */
static constexpr double gpudl_cos_fit[] = {
    -0x1.6827863b97d97p-53, 0x1.ae7f3e733b81fp-45, -0x1.93974a8c07c9dp-37, 0x1.1eed8eff8d898p-29,
    -0x1.27e4fb7789f5cp-22, 0x1.a01a01a01a01ap-16, -0x1.6c16c16c16c17p-10, 0x1.5555555555555p-5,
};
/* cos(x) = 1 - x^2/2 + x^4 P(x^2) */
static constexpr float gpudl_cosf_fit[] = {
    -0x1.27e4fc0000000p-22f, 0x1.a01a020000000p-16f, -0x1.6c16c20000000p-10f, 0x1.5555560000000p-5f,
};
GPUDL_DEVICE double gpudl_cos_series(double x) { return gpudl_polynomial(gpudl_cos_fit, x); }
GPUDL_DEVICE float gpudl_cos_series(float x) { return gpudl_polynomial(gpudl_cosf_fit, x); }
/* erf(x) = 2/sqrt(pi) x + x^3 P(x^2) */
static constexpr double gpudl_erf_fit[] = {
    0x1.5f7919bc67b8cp-58, -0x1.a2007af3447f6p-54, 0x1.d70b3537f4765p-50, -0x1.f56f071a885cfp-46,
    0x1.f683ae4a97007p-42, -0x1.d8453cb0c46eap-38, 0x1.9e6ad5e55a730p-34, -0x1.51d7181c5d36dp-30,
    0x1.fcc5720624c1cp-27, -0x1.5f742ec43e71ap-23, 0x1.b9e6c9dc651a3p-20, -0x1.f4d25c3e0c2ebp-17,
    0x1.f9a326f9b89b7p-14, -0x1.c02db40040b86p-11, 0x1.565bcd0e6a53fp-8, -0x1.b82ce31288b51p-6,
    0x1.ce2f21a042be2p-4, -0x1.812746b0379e7p-2,
};
/* erf(x) = 2/sqrt(pi) x + x^3 P(x^2) */
static constexpr float gpudl_erff_fit[] = {
    0x1.fcc5720000000p-27f, -0x1.5f742e0000000p-23f, 0x1.b9e6ca0000000p-20f, -0x1.f4d25c0000000p-17f, 0x1.f9a3260000000p-14f,
    -0x1.c02db40000000p-11f, 0x1.565bce0000000p-8f, -0x1.b82ce40000000p-6f, 0x1.ce2f220000000p-4f, -0x1.8127460000000p-2f,
};
GPUDL_DEVICE double gpudl_erf_series(double x) { return gpudl_polynomial(gpudl_erf_fit, x); }
GPUDL_DEVICE float gpudl_erf_series(float x) { return gpudl_polynomial(gpudl_erff_fit, x); }
/* atan(x) = x + x^3 P(x^2), |x| <= 1; 0.81 */
static constexpr double gpudl_atan_fit[] = {
    0x1.04a3628aee536p-17, -0x1.890e58e18ff08p-14, 0x1.19e6b726893d0p-11, -0x1.0110cfd66bd22p-9,
    0x1.50ea3497605b5p-8, -0x1.552f78ddf9b30p-7, 0x1.198ad7e0bd0c6p-6, -0x1.8c59dbc673323p-6,
    0x1.f0f041d3e2f50p-6, -0x1.20f157ad652dfp-5, 0x1.42a843b89b0ebp-5, -0x1.62c464c86804fp-5,
    0x1.85c82bf04fbd6p-5, -0x1.af1a76061e434p-5, 0x1.e1e0069edf96ep-5, -0x1.1110f9a06b09dp-4,
    0x1.3b13af957f086p-4, -0x1.745d1731e853fp-4, 0x1.c71c71c6882cdp-4, -0x1.2492492491234p-3,
    0x1.999999999997dp-3, -0x1.5555555555555p-2,
};
/* atan(x) = x + x^3 P(x^2), |x| <= 1; 0.93 */
static constexpr float gpudl_atanf_fit[] = {
    0x1.86406c0000000p-10f, -0x1.2ba6b60000000p-7f, 0x1.aefb2c0000000p-6f, -0x1.9115a40000000p-5f, 0x1.2006f80000000p-4f,
    -0x1.6dd8fe0000000p-4f, 0x1.c62cda0000000p-4f, -0x1.2489520000000p-3f, 0x1.9999560000000p-3f, -0x1.5555560000000p-2f,
};
GPUDL_DEVICE double gpudl_atan_series(double x) { return gpudl_polynomial(gpudl_atan_fit, x); }
GPUDL_DEVICE float gpudl_atan_series(float x) { return gpudl_polynomial(gpudl_atanf_fit, x); }
/* asin(x) = x + x^3 P(x^2), |x| <= 1/2; 1 */
static constexpr double gpudl_asin_fit[] = {
    0x1.d72b2bc8155f8p-6, -0x1.e6aaa8a0a04ccp-7, 0x1.1d189408314eep-6, 0x1.65a9c4dfcf8b2p-8,
    0x1.52420b04b37bep-7, 0x1.782651caa6547p-7, 0x1.c9cf07674736ap-7, 0x1.1c4d35cf95421p-6,
    0x1.6e8bb1c8209a2p-6, 0x1.f1c71c1db0623p-6, 0x1.6db6db6e31f13p-5, 0x1.3333333332ecap-4,
    0x1.5555555555556p-3,
};
/* asin(x) = x + x^3 P(x^2), |x| <= 1/2; 1 */
static constexpr float gpudl_asinf_fit[] = {
    0x1.13fed40000000p-5f, 0x1.18f91e0000000p-6f, 0x1.fd8da20000000p-6f, 0x1.6d5bba0000000p-5f, 0x1.3334300000000p-4f,
    0x1.5555540000000p-3f,
};
GPUDL_DEVICE double gpudl_asin_series(double x) { return gpudl_polynomial(gpudl_asin_fit, x); }
GPUDL_DEVICE float gpudl_asin_series(float x) { return gpudl_polynomial(gpudl_asinf_fit, x); }
/* erfcx(x) = P((x-4)/(x+4)) / (1+2x), x >= 0; 0.59 */
static constexpr double gpudl_erfcx_fit[] = {
    -0x1.2feb115e10ff8p-32, 0x1.ff247156a53a2p-31, 0x1.bc41def3d5cc5p-29, -0x1.a7f4a11380e73p-27,
    -0x1.64110b1736fb3p-26, 0x1.c8a212189b424p-24, 0x1.4dcd6b6d85452p-24, -0x1.b8ce493292da5p-21,
    0x1.393f4d359a7fdp-22, 0x1.7ef644c7815aap-18, -0x1.7884d2487d5efp-17, -0x1.99537515467bep-16,
    0x1.3be0432bfa860p-13, -0x1.a1df5e81f57b4p-13, -0x1.8d4a9a6465372p-11, 0x1.49c672e199469p-8,
    -0x1.09623884747dbp-6, 0x1.3079edf5181dfp-5, -0x1.0fb06dfe4c6c0p-4, 0x1.7fee004e1eefep-4,
    -0x1.9ddb23c3e8f13p-4, 0x1.16ecefcfa4d10p-4, 0x1.f7f5df66fd797p-7, -0x1.1df1ad154a286p-3,
    0x1.3ba5916e9fd7fp+0,
};
/* erfcx(x) = P((x-4)/(x+4)) / (1+2x), x >= 0; 0.65 */
static constexpr float gpudl_erfcxf_fit[] = {
    -0x1.3baa6e0000000p-17f, 0x1.dee71c0000000p-14f, -0x1.c8e00a0000000p-13f, -0x1.73be940000000p-11f, 0x1.4a90d00000000p-8f,
    -0x1.09eb9c0000000p-6f, 0x1.3071520000000p-5f, -0x1.0fa4820000000p-4f, 0x1.7feeb60000000p-4f, -0x1.9ddd1e0000000p-4f,
    0x1.16ece40000000p-4f, 0x1.f7f6dc0000000p-7f, -0x1.1df1ae0000000p-3f, 0x1.3ba5920000000p+0f,
};
GPUDL_DEVICE double gpudl_erfcx_series(double x) { return gpudl_polynomial(gpudl_erfcx_fit, x); }
GPUDL_DEVICE float gpudl_erfcx_series(float x) { return gpudl_polynomial(gpudl_erfcxf_fit, x); }
/* lgamma(1+z) = z (z-1) P(z), |z| <= 1/2; 0.23 */
static constexpr double gpudl_lgamma_1_fit[] = {
    -0x1.b6aedc79bf1d1p-4, 0x1.c4b8d24b7c8ebp-4, 0x1.2bff6d32eeb1ap-4, -0x1.348e3ed89452ap-4,
    -0x1.1a27e8f2eb17fp-4, 0x1.23c3b948fe2fbp-4, -0x1.a2e8cad163b76p-8, 0x1.c71069b651dc8p-8,
    -0x1.c7e2bfe179a43p-6, 0x1.de0d296a971b3p-6, -0x1.b1fb19c2ee9cep-6, 0x1.caf86092e8bbcp-6,
    -0x1.f0edd85f05d35p-6, 0x1.08732799711afp-5, -0x1.1a20b75adcbcap-5, 0x1.2efc2e0671742p-5,
    -0x1.4736db8af778dp-5, 0x1.639fa4485565ep-5, -0x1.857929d7dcc22p-5, 0x1.ae8a96845abfap-5,
    -0x1.e1824701d6850p-5, 0x1.115549ee4815fp-4, -0x1.3cb1f9d3aa706p-4, 0x1.79cf9c4c45553p-4,
    -0x1.d7a3e6a8f24d3p-4, 0x1.3e54520481f68p-3, -0x1.f6465978d46e9p-3, 0x1.2788cfc6fb619p-1,
};
/* lgamma(2+z) = z (z+1) P(z), -1/2 <= z <= 1; 0.14 */
static constexpr double gpudl_lgamma_2_fit[] = {
    -0x1.3cfd3a477222dp-32, 0x1.405d2b03154efp-29, -0x1.3086e5ea62d56p-27, 0x1.7e9a8738dc64ep-26,
    -0x1.8a70c521008d1p-25, 0x1.8aefead3fa565p-24, -0x1.9986da603197ep-23, 0x1.b0a38c6aa1cb4p-22,
    -0x1.c9f6505f588c1p-21, 0x1.e56e331d4d1b3p-20, -0x1.0231619bbed33p-18, 0x1.13e3ae846427dp-17,
    -0x1.2850411bb1dd8p-16, 0x1.402f1314c41b1p-15, -0x1.5c86b6fec9947p-14, 0x1.7ed733a4d5667p-13,
    -0x1.a96a400dc1f21p-12, 0x1.dfebcf8e849b7p-11, -0x1.145121f9a0dfbp-9, 0x1.47974853aa231p-8,
    -0x1.95ce223a9cb82p-7, 0x1.0e0c9df293531p-5, -0x1.9ae6509ea109fp-4, 0x1.b0ee6072093cep-2,
};
