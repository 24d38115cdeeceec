/** The violation of a rule of client metadata. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault';

  /** `field`: the member that violates the rule; null for the body as a whole. */
  constructor(
    readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata',
    readonly field: string | null,
    description: string,
  ) {
    super(description);
  }
}

/**
 * Creates an `invalid_client_metadata` fault. `at` names the subject of the message when it is not
 * the member.
 */
export const invalidMetadata = (
  field: string | null,
  rule: string,
  at = field ?? 'the body',
): MetadataFault => new MetadataFault('invalid_client_metadata', field, `${at} ${rule}`);

/** Creates an `invalid_redirect_uri` fault. `at` is the list, or one URI of it. */
export const invalidRedirectUri = (rule: string, at = 'redirect_uris'): MetadataFault =>
  new MetadataFault('invalid_redirect_uri', 'redirect_uris', `${at} ${rule}`);
