import { ResponseField } from '@gw/web';

class ScimTokenFacts {
  @ResponseField.text({ example: 'scim_ab*****xyz' }) readonly masked!: string;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.text({
    nullable: true,
    description: 'Time of the last use, in ISO 8601; null when the token was never used.',
    example: null,
  })
  readonly last_used_at!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'Expiry in ISO 8601; null for the current token.',
    example: null,
  })
  readonly expires_at!: string | null;
}

export class ScimTokenListResponse {
  @ResponseField.kind('list') readonly object!: 'list';
  @ResponseField.text({
    description: 'Base URL for the identity provider.',
    example: 'https://gw.example/v1/scim',
  })
  readonly base_url!: string;
  @ResponseField.list(() => ScimTokenFacts) readonly data!: readonly ScimTokenFacts[];
}

export class NewScimToken {
  @ResponseField.text({ description: 'Secret of the token. Shown once.', example: 'scim_4Gq9' })
  readonly token!: string;
  @ResponseField.text({
    nullable: true,
    description: 'When the previous token stops working, in ISO 8601; null when there is none.',
    example: '2026-05-04T17:08:55.000Z',
  })
  readonly previous_expires_at!: string | null;
}
