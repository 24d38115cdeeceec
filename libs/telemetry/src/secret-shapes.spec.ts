import fc from 'fast-check';
import { redactText } from './redact';
import { mayHoldSecrets } from './secret-shapes';

/** Parts of credentials, and of texts that resemble them. */
const PIECES = [
  ...[
    'Bearer ',
    'bearer\t',
    'BEARER ',
    'sk-',
    'gw_',
    'vk.',
    'pk-',
    'rk_',
    'hvs.',
    'ghp_',
    'gho-',
    'xoxb-',
    'xoxp.',
  ],
  ...[
    'AKIA',
    'ASIA',
    'AIza',
    'eyJ',
    '.',
    '-----BEGIN ',
    '-----BEGIN RSA PRIVATE KEY',
    'PRIVATE KEY',
    '-',
    '_',
  ],
  ...['"api_key', '"API-KEY', '"secretkey', '"client_secret', '"PassWord', '"passphrase', '"authorization'],
  ...[
    '"auth_token',
    '"token',
    '"code_verifier',
    '"',
    '": "',
    '":"',
    '\\',
    ' ',
    'a',
    'Zz9',
    'é',
    '0123456789abcdef',
  ],
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('mayHoldSecrets', () => {
  it('returns true for every text that redaction changes, and false for ordinary texts', () => {
    let changed = 0;
    fc.assert(
      fc.property(text, (value) => {
        if (redactText(value) === value) return;
        changed += 1;
        expect(mayHoldSecrets(Buffer.from(value, 'latin1'))).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    expect(changed).toBeGreaterThan(500);
    for (const value of [
      '',
      '-',
      'The task-list is there; a risk_score of monkeys, because "max_tokens":5',
      '"key',
    ]) {
      expect(mayHoldSecrets(Buffer.from(value))).toBe(false);
    }
  });
});
