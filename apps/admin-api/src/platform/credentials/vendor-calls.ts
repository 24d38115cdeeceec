/** Injection token of the `VendorCalls`, to services that issue credentials. */
export const VENDOR_CALLS = Symbol('VENDOR_CALLS');
