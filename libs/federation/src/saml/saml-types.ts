/** The checks of a response by number; `guard` runs before all of them. */
export type SamlCheck = 'guard' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16;

/** Thrown when a response is refused; the message is for administrators. */
export class SamlFault extends Error {
  override readonly name = 'SamlFault';

  constructor(
    readonly check: SamlCheck,
    message: string,
  ) {
    super(message);
  }
}

/** Identity provider of a connection, and the rules for reading its responses. */
export interface SamlConnection {
  readonly idpEntityId: string;
  /** PEM; several while keys are rotated. */
  readonly certificates: readonly string[];
  readonly allowIdpInitiated: boolean;
  /** True: an unsigned response may have no Destination. */
  readonly lenientDestination: boolean;
  /** True: certificates are valid only between their dates. */
  readonly enforceCertificateDates: boolean;
  /** Maximum seconds since the user authenticated at the identity provider; null: any. */
  readonly maxAge: number | null;
  /**
   * URI of the only accepted NameID format; null: emailAddress, persistent and unspecified are
   * accepted.
   */
  readonly nameIdFormat: string | null;
  /** Names of the attributes; null: the common names. */
  readonly emailAttribute: string | null;
  readonly givenNameAttribute: string | null;
  readonly familyNameAttribute: string | null;
  /** PEM of the keys that assertions are encrypted for; empty: encrypted assertions are refused. */
  readonly decryptionKeys: readonly string[];
  /** Returns whether users with an address of the domain may log in through this connection. */
  isDomainAllowed(domain: string): boolean | Promise<boolean>;
}

/** Expected values of one response. */
export interface SamlExpectation {
  readonly acsUrl: string;
  readonly entityId: string;
  /** Id of the AuthnRequest; null when the identity provider started the login. */
  readonly requestId: string | null;
  readonly now: Date;
}

/** Claims of the identity provider about a user, from a response whose signature was verified. */
export interface SamlIdentity {
  readonly subject: string;
  /** In lower case and of an allowed domain; null when the response has none. */
  readonly email: string | null;
  readonly givenName: string;
  readonly familyName: string;
  /** Values of attributes by name. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly sessionIndex: string | null;
  /** When the session at the identity provider ends. */
  readonly sessionEndsAt: Date | null;
  readonly assertionId: string;
  /** Until when the assertion is valid. Its id must be stored until then, to detect a replay. */
  readonly usableUntil: Date;
  readonly isIdpInitiated: boolean;
}
