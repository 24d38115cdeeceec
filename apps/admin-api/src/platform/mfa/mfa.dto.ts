import { NameField, ObjectField, ResponseField, TextField, UuidField } from '@gw/web';

/** Fields with which the caller proves to be the user and not the holder of a stolen token. */
export class ProofFields {
  @TextField({
    optional: true,
    max: 1024,
    description:
      'Your password. If you have a second factor and the session was opened without one, send code instead.',
    example: 'correct horse battery staple',
  })
  password?: string;
  @TextField({
    optional: true,
    max: 64,
    description: 'A code of your authenticator app, or a recovery code.',
    example: '492039',
  })
  code?: string;
}

export class CreateTotpDto extends ProofFields {
  @NameField({ optional: true, description: 'Default: Authenticator app.', example: 'Phone' }) name?: string;
}

export class ConfirmTotpDto {
  @UuidField({
    description: 'The id that the enrolment returned.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  id!: string;
  @TextField({ max: 64, description: 'The code that the app shows.', example: '492039' }) code!: string;
}

export class MfaLoginDto {
  @TextField({
    max: 128,
    description: 'The challenge that the login with the password returned.',
    example: '9fK2…',
  })
  challenge!: string;
  @TextField({
    max: 64,
    description: 'A code of the authenticator app, or a recovery code.',
    example: '492039',
  })
  code!: string;
}

/**
 * A login that needs a second factor. `POST /auth/login/mfa` accepts the challenge for five
 * minutes.
 */
export class MfaChallengeResponse {
  @ResponseField.text({ example: '9fK2…' }) readonly challenge!: string;
  @ResponseField.texts({ description: 'Factors that the user has.', example: ['totp', 'recovery_code'] })
  readonly factors!: readonly string[];
  @ResponseField.time() readonly expires_at!: string;
  @ResponseField.kind('mfa-challenge') readonly object!: 'mfa-challenge';
}

export class TotpEnrolmentResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({
    description: 'Secret in Base32; shown once.',
    example: 'S73O7RU3BBGXNV6TG2H2KT7CHPFKPT26',
  })
  readonly secret!: string;
  @ResponseField.text({
    description: 'URI for a QR code.',
    example:
      'otpauth://totp/Tollgate:ada%40example.com?secret=S73O7RU3BBGXNV6TG2H2KT7CHPFKPT26&issuer=Tollgate',
  })
  readonly otpauth_uri!: string;
  @ResponseField.kind('totp-enrolment') readonly object!: 'totp-enrolment';
}

export class RecoveryCodesResponse {
  @ResponseField.texts({
    description:
      'Ten codes that each work once. They are shown only in this response. Empty when your existing codes stay valid.',
    example: ['k3fd-98ah-mm2q-xw7c'],
  })
  readonly recovery_codes!: readonly string[];
  @ResponseField.kind('recovery-codes') readonly object!: 'recovery-codes';
}

class FactorResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.oneOf(['totp', 'passkey']) readonly type!: 'totp' | 'passkey';
  @ResponseField.text({ example: 'Phone' }) readonly name!: string;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time({ nullable: true }) readonly last_used_at!: string | null;
}

/** The second factors of the caller in this organisation. */
export class MfaResponse {
  @ResponseField.list(() => FactorResponse) readonly factors!: readonly FactorResponse[];
  @ResponseField.integer({ example: 10 }) readonly recovery_codes_left!: number;
  @ResponseField.oneOf(['totp', 'recovery_code', 'passkey'], {
    nullable: true,
    description: 'The second factor with which this session was opened; null when there was none.',
  })
  readonly session_factor!: string | null;
  @ResponseField.kind('mfa') readonly object!: 'mfa';
}

export class RegisterPasskeyDto {
  @NameField({ optional: true, description: 'Default: Passkey.', example: 'Laptop' }) name?: string;
  @ObjectField({
    description: 'PublicKeyCredential.toJSON() of the credential from navigator.credentials.create.',
    example: { id: 'Zm9v', rawId: 'Zm9v', type: 'public-key', response: {}, clientExtensionResults: {} },
  })
  response!: object;
}

export class RenameFactorDto {
  @NameField({ example: 'Laptop' }) name!: string;
}

export class PasskeyOptionsDto {
  @TextField({
    optional: true,
    max: 128,
    description:
      'Challenge that a login with the password returned; without it the passkey is the only factor.',
    example: '9fK2…',
  })
  challenge?: string;
}

export class PasskeyLoginDto extends PasskeyOptionsDto {
  @ObjectField({
    description: 'PublicKeyCredential.toJSON() of the credential from navigator.credentials.get.',
    example: { id: 'Zm9v', rawId: 'Zm9v', type: 'public-key', response: {}, clientExtensionResults: {} },
  })
  response!: object;
  @UuidField({ optional: true, description: 'Organisation to log in to, for a login without a challenge.' })
  organisation_id?: string;
}

/** Options for the browser's `navigator.credentials`. */
export class PasskeyOptionsResponse {
  @ResponseField.json({ example: { challenge: 'bm9uY2U', rpId: 'gateway.example.com' } })
  readonly options!: object;
  @ResponseField.kind('passkey-options') readonly object!: 'passkey-options';
}
