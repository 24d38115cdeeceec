/** Claims that identify a session token of the control plane. */
export const TOKEN_ISSUER = 'tollgate';
export const TOKEN_AUDIENCE = 'control-plane';
