import { readSettings } from '@gw/kernel';
import { MAIL_SETTINGS, mailServerOf, type MailServer } from './settings';

const read = (environment: Record<string, string>): MailServer | null =>
  mailServerOf(readSettings(MAIL_SETTINGS, environment));
const HOST = { SMTP_HOST: 'mail.example' };

describe('mailServerOf', () => {
  it('returns null without SMTP_HOST', () => {
    expect(read({ SMTP_FROM: 'a@b.example' })).toBeNull();
  });

  it.each([
    [{ SMTP_FROM: 'a@b.example' }, { name: 'Tollgate', address: 'a@b.example' }],
    [{ SMTP_FROM: 'Acme AI <a@b.example>' }, { name: 'Acme AI', address: 'a@b.example' }],
    [
      { SMTP_FROM: 'Acme AI', SMTP_MAIL: 'a@b.example' },
      { name: 'Acme AI', address: 'a@b.example' },
    ],
    [
      { SMTP_MAIL: 'a@b.example', EMAIL_BRAND_NAME: 'Acme' },
      { name: 'Acme', address: 'a@b.example' },
    ],
  ])('determines the sender from %j', (environment, from) => {
    expect(read({ ...HOST, ...environment })?.from).toEqual(from);
  });

  it.each([
    [{}, 587, 'starttls'],
    [{ SMTP_PORT: '465' }, 465, 'tls'],
    [{ SMTP_PORT: '25', SMTP_SECURE: 'none' }, 25, 'none'],
    [{ SMTP_SECURE: 'true' }, 587, 'tls'],
    [{ SMTP_SECURE: 'false' }, 587, 'starttls'],
  ])('encrypts unless SMTP_SECURE is none: %j', (environment, port, security) => {
    const server = read({ ...HOST, SMTP_FROM: 'a@b.example', ...environment });
    expect(server).toMatchObject({ port, security });
  });

  it.each([
    [{}, /SMTP_FROM/],
    [{ SMTP_FROM: 'Acme' }, /SMTP_FROM/],
    [{ SMTP_FROM: 'a@b.example', SMTP_USER: 'u' }, /SMTP_PASSWORD/],
    [{ SMTP_FROM: 'a@b.example', SMTP_SECURE: 'perhaps' }, /SMTP_SECURE/],
  ])('throws for %j', (environment, rule) => {
    expect(() => read({ ...HOST, ...environment })).toThrow(rule);
  });
});
