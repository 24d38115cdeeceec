import type { SamlSettings } from '@gw/entities';
import { DAY_MS } from '@gw/kernel';

/** How many days before the last certificate expires administrators get a mail, ascending. */
const NOTICE_DAYS = [1, 7, 30];

export interface ExpiryMail {
  readonly sent: NonNullable<SamlSettings['expiryMail']>;
  readonly subject: string;
  readonly paragraphs: string[];
}

/**
 * Returns the mail that is due because the last certificate of a connection expires soon; null if
 * none is due or it was already sent.
 */
export function expiryMail({ certificates, expiryMail: sent }: SamlSettings, now: Date): ExpiryMail | null {
  const last = certificates.toSorted((one, other) => other.validUntil.localeCompare(one.validUntil))[0];
  if (last === undefined) return null;
  const { validUntil, fingerprint } = last;
  const daysLeft = (new Date(validUntil).getTime() - now.getTime()) / DAY_MS;
  const days = NOTICE_DAYS.find((each) => daysLeft <= each);
  if (days === undefined || (sent?.validUntil === validUntil && sent.days <= days)) return null;
  const day = validUntil.slice(0, 10);
  return {
    sent: { validUntil, days },
    subject: `A certificate for single sign-on ${daysLeft > 0 ? 'expires' : 'expired'} on ${day}`,
    paragraphs: [
      `The last certificate of the identity provider, ${fingerprint}, is valid until ${day}.`,
      'Save the new metadata of the provider in the connection before. Where the connection has a metadata_url, this happens by itself as soon as the provider publishes another certificate.',
    ],
  };
}
