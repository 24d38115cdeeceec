import { ResponseField } from '@gw/web';

export class SsoTestRedirectResponse {
  @ResponseField.text({
    description: 'Address to open in a browser. The login shows its outcome and opens no session.',
    example: 'https://idp.example.org/authorize',
  })
  readonly url!: string;
  @ResponseField.kind('sso-test-redirect') readonly object!: 'sso-test-redirect';
}

class SsoTestWorkspace {
  @ResponseField.uuid() readonly workspace!: string;
  @ResponseField.oneOf(['admin', 'manager', 'member']) readonly role!: string;
}

/** Result that a test login would have had as a real login. */
export class SsoTestResponse {
  @ResponseField.boolean({ description: 'True when the user would be admitted.' })
  readonly admitted!: boolean;
  @ResponseField.text({
    nullable: true,
    description: 'Why the user would not be admitted; null when admitted.',
    example: null,
  })
  readonly reason!: string | null;
  @ResponseField.text({ example: '00u1b2c3' }) readonly subject!: string;
  @ResponseField.text({ nullable: true, example: 'ann@example.org' }) readonly email!: string | null;
  @ResponseField.boolean({ nullable: true, description: 'Null when the provider does not report it.' })
  readonly email_verified!: boolean | null;
  @ResponseField.texts({ example: ['engineering'] }) readonly groups!: readonly string[];
  @ResponseField.text({ nullable: true, example: 'member' }) readonly organisation_role!: string | null;
  @ResponseField.list(() => SsoTestWorkspace) readonly workspaces!: readonly SsoTestWorkspace[];
  @ResponseField.kind('sso-test') readonly object!: 'sso-test';
}
