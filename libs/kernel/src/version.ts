/** The public interface version of the gateway; features of the specification ask for 2.11.0 and 2.18.0 at least. */
export const GATEWAY_VERSION = '2.20.0';
/** The version of the control plane, after the newest release of the specification. */
export const CONTROL_PLANE_VERSION = '1.26.0';
