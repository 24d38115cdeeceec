import { BufferedClient } from '@gw/outbound';
import { describeFault, invalid } from '@gw/web';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { SETTINGS, type AdminSettings } from '../../settings';
import { assertGoodPassword } from './password-rules';

const TIMEOUT_MS = 2_000;
/** Maximum size of a response; the service sends about 40 KiB with padding. */
const BYTES_MAX = 500_000;
const PREFIX_LENGTH = 5;

/** Fields for the audit log; empty unless the breached-password check was unavailable. */
export type PasswordNote = { readonly breach_check: 'unavailable' } | Record<string, never>;

/**
 * Checks new passwords by the rules and, with the setting `BREACHED_PASSWORDS_URL`, by the range
 * API of Pwned Passwords (https://haveibeenpwned.com/API/v3#PwnedPasswords) or a service with the
 * same API.
 */
@Injectable()
export class NewPasswords {
  private readonly log = new Logger(NewPasswords.name);

  constructor(
    private readonly client: BufferedClient,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'BREACHED_PASSWORDS_URL'>,
  ) {}

  /**
   * Throws `validation_failed` as `assertGoodPassword` does, and for a password that the service
   * lists as breached. While the service is unavailable, passwords are accepted without this check.
   */
  async assertGood(password: string, email: string, field = 'password'): Promise<PasswordNote> {
    assertGoodPassword(password, email, field);
    const { BREACHED_PASSWORDS_URL: base } = this.settings;
    if (base === null) return {};
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    const found = await this.suffixesAt(base, digest.slice(0, PREFIX_LENGTH));
    if (found === null) return { breach_check: 'unavailable' };
    if (!found.has(digest.slice(PREFIX_LENGTH))) return {};
    throw invalid(
      field,
      `${field} is in a list of passwords that were stolen from other services; choose one that you use nowhere else`,
    );
  }

  /**
   * Returns the suffixes of all breached SHA-1 digests that begin with the prefix; null if the
   * service is unavailable. The service receives only the prefix, the first five hex digits of the
   * digest.
   */
  private async suffixesAt(base: string, prefix: string): Promise<ReadonlySet<string> | null> {
    try {
      const { status, body } = await this.client.fetchBuffered({
        url: `${base.replace(/(?<!\/)\/+$/, '')}/${prefix}`,
        // Padding hides the number of digests from observers of the response's size.
        headers: { 'add-padding': 'true', accept: 'text/plain' },
        totalTimeoutMs: TIMEOUT_MS,
        bytesMax: BYTES_MAX,
      });
      if (status !== 200) throw new Error(`The service responded with ${String(status)}.`);
      return suffixesOf(body.toString('utf8'));
    } catch (error) {
      this.log.warn(describeFault(error), 'failed to check a new password for breaches');
      return null;
    }
  }
}

/** Lines have the form `SUFFIX:COUNT`; a count of 0 is padding. */
function suffixesOf(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.trim().split(':'));
  return new Set(
    lines.flatMap(([suffix = '', count = '0']) => (Number(count) > 0 ? [suffix.toUpperCase()] : [])),
  );
}
