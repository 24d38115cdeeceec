/** Routes of protocols that have their own credentials, errors and specs, and are in no document. */
export const isProtocolRoute = (pattern: string): boolean =>
  /^\/(?:(?:v[12]\/scim|v0\.1)\/\*|mcp\/admin)$/.test(pattern);
