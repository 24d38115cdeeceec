/**
 * Public version of the gateway's API; features of the specification require at least 2.11.0 and
 * 2.18.0.
 */
export const GATEWAY_VERSION = '2.20.0';
/** Public version of the control plane's API, after the newest release of the specification. */
export const CONTROL_PLANE_VERSION = '1.26.0';
