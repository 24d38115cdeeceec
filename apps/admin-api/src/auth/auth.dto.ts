import { EmailField, TextField, UuidField } from '@gw/web';

export class LoginDto {
  @EmailField({ example: 'owner@example.com' })
  email!: string;

  @TextField({ max: 1024 })
  password!: string;

  @UuidField({ optional: true, description: 'Of a user of several organisations.' })
  organisation_id?: string;
}

export class RefreshDto {
  @TextField({ max: 128 })
  refresh_token!: string;
}
