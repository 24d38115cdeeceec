import { ResponseField } from '@gw/web';
import { SsoConnectionChoice } from '../../platform/auth/auth.dto';

class RetentionDays {
  @ResponseField.integer({ example: 90 }) readonly logs!: number;
  @ResponseField.integer({ example: 365 }) readonly metrics!: number;
}

class ConsoleLimits {
  @ResponseField.integer({ description: 'Maximum duration of a log tail, in seconds.', example: 3600 })
  readonly tail_seconds!: number;
  @ResponseField.integer({ description: 'Maximum range of a log search, in days.', example: 31 })
  readonly log_search_days!: number;
  @ResponseField.integer({ description: 'Maximum size of a request body, in bytes.', example: 1_048_576 })
  readonly body_bytes!: number;
  @ResponseField.integer({
    description: 'Maximum number of requests of a session per minute; 0 means no limit.',
    example: 1200,
  })
  readonly requests_per_minute!: number;
}

/** Data with which a console signs a user in. */
class SignInFacts {
  @ResponseField.kind('console-bootstrap') readonly object!: 'console-bootstrap';
  @ResponseField.text({ example: '1.0.0' }) readonly version!: string;
  @ResponseField.text({
    nullable: true,
    description: 'Name of the environment from CONSOLE_ENVIRONMENT; null for none.',
    example: 'production',
  })
  readonly environment!: string | null;
  @ResponseField.boolean({
    description: 'False: the only organisation enforces single sign-on, for its owners too.',
  })
  readonly password_login!: boolean;
  @ResponseField.list(() => SsoConnectionChoice, {
    description:
      'Connections of the only organisation. Empty with several organisations; GET /v1/auth/sso/discover then lists those of an address.',
  })
  readonly sso!: readonly SsoConnectionChoice[];
}

/** Data for a console's first page. The optional fields are only in a response to a session. */
export class ConsoleBootstrapResponse extends SignInFacts {
  @ResponseField.boolean({
    optional: true,
    description: 'True: the user has never chosen a password and can set one without the current one.',
    example: false,
  })
  readonly needs_password?: boolean;
  @ResponseField.text({
    optional: true,
    description: 'Address of the gateway for clients, without /v1.',
    example: 'https://gateway.example.com',
  })
  readonly gateway_url?: string;
  @ResponseField.json({
    optional: true,
    description: 'Whether each feature is enabled.',
    example: { audit_logs: true, scim: false },
  })
  readonly features?: Readonly<Record<string, boolean>>;
  @ResponseField.oneOf(['scan'], {
    optional: true,
    description: 'How a log search finds a text: scan reads the logs of the range, newest first.',
  })
  readonly log_search?: 'scan';
  @ResponseField.one(() => RetentionDays, { optional: true }) readonly retention_days?: RetentionDays;
  @ResponseField.text({ optional: true, description: 'Prefix of API keys; may be empty.', example: 'gw-' })
  readonly api_key_prefix?: string;
  @ResponseField.text({
    optional: true,
    description: 'IANA time zone of reports.',
    example: 'UTC',
  })
  readonly zone?: string;
  @ResponseField.text({ optional: true, description: 'Currency of costs (ISO 4217).', example: 'USD' })
  readonly currency?: string;
  @ResponseField.one(() => ConsoleLimits, { optional: true }) readonly limits?: ConsoleLimits;
}
