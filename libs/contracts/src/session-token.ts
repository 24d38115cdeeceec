/** Claims by which a token of a control-plane session is known. */
export const TOKEN_ISSUER = 'tollgate';
export const TOKEN_AUDIENCE = 'control-plane';
