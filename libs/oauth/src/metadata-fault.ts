/** A rule of client metadata that a body breaks. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault';

  /** `field`: the member that breaks it; null for the body as a whole. */
  constructor(
    readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata',
    readonly field: string | null,
    description: string,
  ) {
    super(description);
  }
}

/** `at`: what the rule is about, when the member alone does not say it. */
export const invalidMetadata = (
  field: string | null,
  rule: string,
  at = field ?? 'the body',
): MetadataFault => new MetadataFault('invalid_client_metadata', field, `${at} ${rule}`);

/** `at`: the list, or one address of it. */
export const invalidRedirectUri = (rule: string, at = 'redirect_uris'): MetadataFault =>
  new MetadataFault('invalid_redirect_uri', 'redirect_uris', `${at} ${rule}`);
