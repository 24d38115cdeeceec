import type { IssuedCredential } from '@gw/contracts';
import type { VendorCalls } from '@gw/kernel';
import type { CloudIdentitySettings } from './settings';

/** Tools that sources of credentials use. */
export interface IdentityTools {
  readonly calls: VendorCalls;
  readonly settings: CloudIdentitySettings;
  /** Reads a file as text. @throws VendorError `refused` when it cannot be read */
  readonly readFile: (path: string) => Promise<string>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A credential with its expiry. */
export interface Issued {
  readonly credential: IssuedCredential;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
