import { ResponseField, EmailField, TextField } from '@gw/web';

export class ChangePasswordDto {
  @TextField({
    optional: true,
    max: 1024,
    description:
      "Not needed in a session that the launcher's link opened, while the user still has the password of the first set-up.",
    example: 'correct horse battery staple',
  })
  current_password?: string;
  @TextField({
    max: 1024,
    description: 'The new password, at least 12 characters.',
    example: 'quiet lamp under seven rivers',
  })
  new_password!: string;
}

export class ForgotPasswordDto {
  @EmailField({ example: 'ada@example.com' }) email!: string;
}

export class ResetPasswordDto {
  @TextField({ max: 128, description: 'The last part of the link.', example: 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7' })
  token!: string;
  @TextField({
    max: 1024,
    description: 'The new password, at least 12 characters.',
    example: 'quiet lamp under seven rivers',
  })
  password!: string;
}

export class PasswordResetResponse {
  @ResponseField.kind('password-reset') readonly object!: 'password-reset';
  @ResponseField.text({
    nullable: true,
    description: 'Null if mail is configured; the link is then mailed to the user.',
    example: 'https://gateway.example.com/reset/aB3dE6gH9jK2mN5pQ8sT1vW4yZ7',
  })
  readonly reset_link!: string | null;
  @ResponseField.time() readonly expires_at!: string;
}
