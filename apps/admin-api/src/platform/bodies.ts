import type { BodyBounds } from '@gw/web';
import { addRouteConfig } from './route-config';

/**
 * Maximum nesting depth: deeper than any field needs, and safe for recursive functions over a
 * value.
 */
const LEVELS_MAX = 128;

/**
 * Default bounds of a request body. They leave room for the longest list that a route accepts and
 * for free-form data of a few thousand values.
 */
export const BODY: BodyBounds = { bytes: 1_048_576, members: 25_000, values: 50_000, levels: LEVELS_MAX };

/** Bounds for routes without a credential, which receive one small form. */
export const PUBLIC_BODY: BodyBounds = { bytes: 16_384, members: 200, values: 200, levels: LEVELS_MAX };

/** Bounds for the form with a SAML response of 256 KB, whose characters may be escaped. */
export const SAML_BODY: BodyBounds = { ...PUBLIC_BODY, bytes: 393_216 };

/** Bounds for uploaded logs, which contain request and response bodies themselves. */
export const LOGS_BODY: BodyBounds = {
  bytes: 10 * 1_048_576,
  members: 50_000,
  values: 100_000,
  levels: LEVELS_MAX,
};

/**
 * Bounds for spans of traces: small objects with a few members each. Nested attribute values are
 * allowed and truncated.
 */
export const SPANS_BODY: BodyBounds = { bytes: 1_048_576, members: 50_000, values: 75_000, levels: 1_000 };

/** Bounds for SCIM, sized for a group of 10,000 members, each with its value, name and address. */
export const SCIM_BODY: BodyBounds = {
  bytes: 1_048_576,
  members: 50_000,
  values: 75_000,
  levels: LEVELS_MAX,
};

/**
 * Bounds for an OpenAPI document of 5 MiB, sent as a string with escaped characters or as an
 * object.
 */
export const OPENAPI_BODY: BodyBounds = LOGS_BODY;

/** Sets the body bounds of a route that needs more than `BODY`. */
export const TakesBody = (bodyBounds: BodyBounds): MethodDecorator => addRouteConfig({ bodyBounds });
