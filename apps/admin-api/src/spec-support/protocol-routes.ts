/**
 * Whether a route belongs to a protocol with its own credentials, errors and specs. Such routes are
 * not in the OpenAPI document.
 */
export const isProtocolRoute = (pattern: string): boolean =>
  /^\/(?:(?:v[12]\/scim|v0\.1)\/\*|mcp\/admin)$/.test(pattern);
