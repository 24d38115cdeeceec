import { ResponseField, TextField } from '@gw/web';

export class PlaygroundKeyDto {
  @TextField({
    optional: true,
    max: 255,
    description: 'Id or slug of the workspace. A member of only one workspace need not name it.',
    example: 'ws-search-3f9a1c',
  })
  workspace_id?: string;
}

export class PlaygroundKeyResponse {
  @ResponseField.kind('playground-key') readonly object!: 'playground-key';
  @ResponseField.text({ description: 'Secret of the key. Shown once.', example: 'pat_4Gq9…' })
  readonly key!: string;
  @ResponseField.time() readonly expires_at!: string;
  @ResponseField.text({ description: 'Base URL for SDKs.', example: 'https://gateway.example.com/v1' })
  readonly base_url!: string;
}
