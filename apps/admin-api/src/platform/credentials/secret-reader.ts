/** Injection token of the `SecretReader`. */
export const SECRET_READER = Symbol('SECRET_READER');
