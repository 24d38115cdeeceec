import type { SecretLocation } from '@gw/contracts';

/** Reads the whole secret. @throws VendorError */
export type SecretReader = (location: SecretLocation) => Promise<string>;
