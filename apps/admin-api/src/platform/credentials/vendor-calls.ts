/** Injection token of the `VendorCalls`, which call services that issue credentials. */
export const VENDOR_CALLS = Symbol('VENDOR_CALLS');
