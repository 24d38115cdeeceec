/** A rule of client metadata that a body breaks. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault';

  constructor(
    readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata',
    description: string,
  ) {
    super(description);
  }
}

export const invalidMetadata = (description: string): MetadataFault =>
  new MetadataFault('invalid_client_metadata', description);
