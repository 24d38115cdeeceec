import fc from 'fast-check';
import { asking, chat, compiled, FACTS, judged, verdictOf } from '../spec-support/judge';
import { Subject } from '../subject';
import { detectPii, PII_CATEGORIES } from './detect';
import { restored, StreamRestorer } from './placeholders';

const found = (text: string) =>
  detectPii(text, PII_CATEGORIES).map(({ start, end, label }) => [label, text.slice(start, end)]);

describe('detectPii', () => {
  it.each([
    ['Write to jane.doe+x@mail.example.co.uk.', 'EMAIL_ADDRESS', 'jane.doe+x@mail.example.co.uk'],
    ['Mail <müller@exämple.de>', 'EMAIL_ADDRESS', 'müller@exämple.de'],
    ['card 4111-1111-1111-1111, please', 'CREDIT_CARD', '4111-1111-1111-1111'],
    ['I have 2 4111 1111 1111 1111 here', 'CREDIT_CARD', '4111 1111 1111 1111'],
    ['amex 3782 822463 10005', 'CREDIT_CARD', '3782 822463 10005'],
    ['IBAN GB82 WEST 1234 5698 7654 32 by Friday', 'IBAN', 'GB82 WEST 1234 5698 7654 32'],
    ['auf de89370400440532013000!', 'IBAN', 'de89370400440532013000'],
    ['Call +49 (0)30 1234567 now', 'PHONE_NUMBER', '+49 (0)30 1234567'],
    ['Reach me at (212) 555-0187.', 'PHONE_NUMBER', '(212) 555-0187'],
    ['Telefon 030 901820', 'PHONE_NUMBER', '030 901820'],
    ['SSN 219-09-9999', 'SSN', '219-09-9999'],
    ['DNI 12345678Z', 'NATIONAL_ID', '12345678Z'],
    ['NIE X1234567L', 'NATIONAL_ID', 'X1234567L'],
    ['CF RSSMRA85T10A562S', 'NATIONAL_ID', 'RSSMRA85T10A562S'],
    ['CPF 529.982.247-25', 'NATIONAL_ID', '529.982.247-25'],
    ['NINO AB 12 34 56 C', 'NATIONAL_ID', 'AB 12 34 56 C'],
    ['NIR 2 55 08 14 168 025 38', 'NATIONAL_ID', '2 55 08 14 168 025 38'],
    ['from 192.168.10.254:', 'IP_ADDRESS', '192.168.10.254'],
    ['host 2001:db8::8a2e:370:7334 is', 'IP_ADDRESS', '2001:db8::8a2e:370:7334'],
    ['use sk-proj-abcdefghij0123456789', 'SECRET', 'sk-proj-abcdefghij0123456789'],
    ['AKIAIOSFODNN7EXAMPLE', 'SECRET', 'AKIAIOSFODNN7EXAMPLE'],
    ['password: hunter2!x', 'SECRET', 'hunter2!x'],
    ['postgres://app:s3cretpw@db/x', 'SECRET', 's3cretpw'],
    ['card ４１１１１１１１１１１１１１１１ ok', 'CREDIT_CARD', '４１１１１１１１１１１１１１１１'],
    ['to jane\u200b@exam\u2060ple.com now', 'EMAIL_ADDRESS', 'jane\u200b@exam\u2060ple.com'],
    ['😀 SSN 219-\u200b09-9999', 'SSN', '219-\u200b09-9999'],
    ['value wJalrXUtnFEMI7K7MDENGbPxRfiCYzX3mp9Key', 'SECRET', 'wJalrXUtnFEMI7K7MDENGbPxRfiCYzX3mp9Key'],
  ])('finds in %j the %s %j', (text, label, match) => {
    expect(found(text)).toEqual([[label, match]]);
  });

  it.each([
    'Order 4111 1111 1111 1112 was shipped on 2026-11-21 at 10:30:45.',
    'Version 1.2.3.4 of the app, build 20261121.',
    'std::vector<a::b> x = {1, 2, 3}; // see page 12 345',
    'GB82 WEST 1234 5698 7654 33 has a wrong checksum',
    'The token is required; the password must be long.',
    '550e8400-e29b-41d4-a716-446655440000',
    'getUserAccountDetailsByIdentifier2AndUpdate',
    'https://example.com/some/long/path/to/a/page2/with/parts',
    'numbers 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16',
    '@mention and a@b and @@@@',
    'population 1,234,567 and price 1.234.567,89',
  ])('finds nothing in %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('returns findings in order and never overlapping, for any text', () => {
    const parts = fc.constantFrom(
      'a@b.co',
      '4111111111111111',
      '+49 30 123456',
      '1.2.3.4',
      'sk-',
      'DE89',
      '@',
      ' ',
      '-',
      'x',
      '=',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let end = 0;
        for (const place of detectPii(text, PII_CATEGORIES)) {
          expect(place.start).toBeGreaterThanOrEqual(end);
          expect(place.end).toBeGreaterThan(place.start);
          end = place.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('gw.pii', () => {
  const text = 'Mail jane@example.com, then joe@example.com, then jane@example.com again.';

  it('fails, and reports only categories and counts', async () => {
    const result = await verdictOf('gw.pii', {}, asking(text));
    expect(result).toMatchObject({
      verdict: false,
      transformed: false,
      data: { found: { EMAIL_ADDRESS: 3 } },
    });
  });

  it('replaces findings', async () => {
    const verdict = await judged(
      [compiled([{ id: 'gw.pii', parameters: { redact: true } }], { deny: true })],
      asking(text),
    );
    expect(verdict).toMatchObject({
      outcome: 'pass',
      body: chat('Mail [EMAIL_ADDRESS], then [EMAIL_ADDRESS], then [EMAIL_ADDRESS] again.'),
    });
  });

  it('replaces reversibly: equal texts get the same placeholder in all messages', async () => {
    const guardrail = compiled([{ id: 'gw.pii', parameters: { redact: true, reversible: true } }]);
    const body = chat(text, 'I know [EMAIL_ADDRESS_1]', 'joe@example.com');
    const verdict = await judged([guardrail, guardrail], Subject.input(FACTS, body));
    expect(verdict.body).toEqual(
      chat(
        'Mail [EMAIL_ADDRESS_2], then [EMAIL_ADDRESS_3], then [EMAIL_ADDRESS_2] again.',
        'I know [EMAIL_ADDRESS_1]',
        '[EMAIL_ADDRESS_3]',
      ),
    );
    const back = restored('To [EMAIL_ADDRESS_3] and [EMAIL_ADDRESS_1].', verdict.placeholders ?? new Map());
    expect(back).toBe('To joe@example.com and [EMAIL_ADDRESS_1].');
    expect(JSON.stringify(verdict.results)).not.toContain('example.com');
  });

  it('restores placeholders of a stream however it is cut', () => {
    const originals = new Map([
      ['[EMAIL_ADDRESS_1]', 'jane@example.com'],
      ['[IBAN_12]', 'DE89'],
    ]);
    const piece = fc.constantFrom(
      '[EMAIL_ADDRESS_1]',
      '[IBAN_12]',
      '[IBAN_1]',
      '[',
      ']',
      'a [b] c',
      '[[',
      '_1]',
      'IBAN',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 9 }), (pieces, size) => {
        const text = pieces.join('');
        const restorer = new StreamRestorer(originals);
        let out = '';
        for (let at = 0; at < text.length; at += size) out += restorer.push(text.slice(at, at + size));
        expect(out + restorer.end()).toBe(restored(text, originals));
      }),
    );
  });
});
