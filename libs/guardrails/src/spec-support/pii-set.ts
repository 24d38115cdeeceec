import type { PiiCategory } from '../pii/detect';

export interface LabelledSentence {
  readonly language: string;
  readonly text: string;
  readonly places: readonly { readonly start: number; readonly end: number; readonly label: PiiCategory }[];
}

/** Returns a generator of numbers from 0 to 1 that are the same on every run (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const MIXED = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;

/** Generates values by their own rules, independently of the recognizers. */
class Maker {
  private readonly next = chance(20_261_121);

  upTo(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<T>(items: readonly T[]): T {
    return items[this.upTo(items.length)] as T;
  }

  chars(from: string, length: number): string {
    return Array.from({ length }, () => from[this.upTo(from.length)]).join('');
  }

  digits(length: number): string {
    return this.chars('0123456789', length);
  }

  card(): string {
    const [prefix, length] = this.one([
      ['4', 16],
      ['51', 16],
      ['55', 16],
      ['2221', 16],
      ['34', 15],
      ['37', 15],
      ['6011', 16],
      ['36', 14],
      ['3528', 16],
      ['62', 16],
    ] as const);
    const body = prefix + this.digits(length - prefix.length - 1);
    let sum = 0;
    [...body].reverse().forEach((digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    });
    const card = body + String((10 - (sum % 10)) % 10);
    const grouped =
      length === 15
        ? [card.slice(0, 4), card.slice(4, 10), card.slice(10)]
        : length === 14
          ? [card.slice(0, 4), card.slice(4, 10), card.slice(10)]
          : (card.match(/.{4}/g) ?? []);
    return this.one([card, grouped.join(' '), grouped.join('-')]);
  }

  iban(): string {
    const [country, pattern] = this.one([
      ['DE', 'd18'],
      ['FR', 'd10c11d2'],
      ['ES', 'd20'],
      ['IT', 'u1d10c12'],
      ['GB', 'u4d14'],
      ['NL', 'u4d10'],
      ['BE', 'd12'],
      ['CH', 'd5c12'],
      ['PT', 'd21'],
      ['PL', 'd24'],
    ] as const);
    let body = '';
    for (const [, kind, count] of pattern.matchAll(/([dcu])(\d+)/g)) {
      const from =
        kind === 'd'
          ? '0123456789'
          : kind === 'u'
            ? LETTERS.toUpperCase()
            : `${LETTERS.toUpperCase()}0123456789`;
      body += this.chars(from, Number(count));
    }
    const number = [...`${body}${country}00`].map((char) => parseInt(char, 36).toString()).join('');
    const check = String(98n - (BigInt(number) % 97n)).padStart(2, '0');
    const iban = `${country}${check}${body}`;
    const grouped = (iban.match(/.{1,4}/g) ?? []).join(' ');
    return this.one([iban, grouped, grouped, iban.toLowerCase()]);
  }

  email(): string {
    const name = this.one([
      'jane',
      'joão',
      'm.rossi',
      'anna-lena',
      'o_connor',
      'dr.weiß',
      'p.dubois+news',
      'x1',
    ]);
    const host = this.one([
      'example.com',
      'mail.example.co.uk',
      'uni-köln.de',
      'sub.domain.example.fr',
      'firma.io',
      'correo.example.es',
    ]);
    return `${name}${this.one(['', String(this.upTo(99)), `.${this.chars(LETTERS, 5)}`])}@${host}`;
  }

  secret(): string {
    return this.one([
      () => `sk-${this.chars(MIXED, 48)}`,
      () => `sk-proj-${this.chars(MIXED, 60)}`,
      () => `AKIA${this.chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
      () => `ghp_${this.chars(MIXED, 36)}`,
      () => `xoxb-${this.digits(11)}-${this.digits(12)}-${this.chars(MIXED, 24)}`,
      () => `AIza${this.chars(MIXED, 35)}`,
      () => `sk_live_${this.chars(MIXED, 24)}`,
      () => `glpat-${this.chars(MIXED, 20)}`,
      () => `hf_${this.chars(MIXED, 34)}`,
      () => `SG.${this.chars(MIXED, 22)}.${this.chars(MIXED, 43)}`,
      () => `eyJhbGciOiJIUzI1NiJ9.eyJ${this.chars(MIXED, 40)}.${this.chars(MIXED, 43)}`,
      () => this.chars(MIXED, 40),
      () => `${this.chars(`${MIXED}+/`, 43)}=`,
    ])();
  }

  phone(language: string): string {
    const national: Readonly<Record<string, readonly string[]>> = {
      en: [
        `(${String(200 + this.upTo(700))}) 555-${this.digits(4)}`,
        `+1 415 555 ${this.digits(4)}`,
        `+44 20 7946 0${this.digits(3)}`,
      ],
      de: [`+49 30 ${this.digits(7)}`, `030 ${this.digits(7)}`, `0171/${this.digits(7)}`],
      fr: [
        `+33 1 ${this.digits(2)} ${this.digits(2)} ${this.digits(2)} ${this.digits(2)}`,
        `06 ${this.digits(2)} ${this.digits(2)} ${this.digits(2)} ${this.digits(2)}`,
      ],
      es: [
        `+34 6${this.digits(2)} ${this.digits(3)} ${this.digits(3)}`,
        `+34 91 ${this.digits(3)} ${this.digits(2)} ${this.digits(2)}`,
      ],
      it: [`+39 06 ${this.digits(8)}`, `+39 3${this.digits(2)} ${this.digits(7)}`],
    };
    return this.one(national[language] ?? []);
  }

  ip(): string {
    const octets = Array.from({ length: 4 }, () => String(this.upTo(256))).join('.');
    const groups = Array.from({ length: 8 }, () => this.chars('0123456789abcdef', 4)).join(':');
    return this.one([octets, octets, groups, `2001:db8::${this.chars('123456789abcdef', 3)}:1`]);
  }

  ssn(): string {
    return `${String(100 + this.upTo(500))}-${String(10 + this.upTo(80))}-${String(1_000 + this.upTo(8_000))}`;
  }

  nationalId(): string {
    const number = this.digits(8);
    return `${number}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] ?? ''}`;
  }

  /** Returns a value that only looks like one of a category. */
  decoy(): string {
    const wrongCard = () => `4${this.digits(14)}`;
    return this.one([
      () => `${String(2020 + this.upTo(8))}-0${String(1 + this.upTo(9))}-1${this.digits(1)}`,
      () => this.chars('0123456789abcdef', 40),
      () =>
        `${this.chars('0123456789abcdef', 8)}-${this.chars('0123456789abcdef', 4)}-4${this.chars('0123456789abcdef', 3)}-a${this.chars('0123456789abcdef', 3)}-${this.chars('0123456789abcdef', 12)}`,
      () => `v${String(this.upTo(20))}.${String(this.upTo(20))}.${String(this.upTo(300))}`,
      () => `RE-${this.digits(6)}`,
      wrongCard,
      () => `${String(this.upTo(999))}.${this.digits(3)},${this.digits(2)}`,
      () => `DE${this.digits(6)}`,
      () => '@anna',
      () => 'getUserAccountDetailsById2',
      () => 'https://example.com/docs/page-12/section-3',
      () => `${String(this.upTo(24))}:${this.digits(2)}:${this.digits(2)}`,
    ])();
  }
}

const FRAMES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Please use {} for this.',
    'My details: {}, thanks!',
    'I found {} in the document.',
    'Is {} right?',
    'They wrote "{}" on the form.',
    '{} and nothing else',
  ],
  de: [
    'Bitte nutzen Sie {} dafür.',
    'Meine Angaben: {}, danke!',
    'Ich habe {} im Dokument gefunden.',
    'Stimmt {}?',
    'Im Formular steht „{}“.',
    '{} und sonst nichts',
  ],
  fr: [
    'Merci d’utiliser {} pour cela.',
    'Mes données : {}, merci !',
    'J’ai trouvé {} dans le document.',
    'Est-ce que {} est juste ?',
    'Le formulaire dit « {} ».',
    '{} et rien d’autre',
  ],
  es: [
    'Por favor, use {} para esto.',
    'Mis datos: {}, ¡gracias!',
    'He encontrado {} en el documento.',
    '¿Es {} correcto?',
    'El formulario dice «{}».',
    '{} y nada más',
  ],
  it: [
    'Per favore usi {} per questo.',
    'I miei dati: {}, grazie!',
    'Ho trovato {} nel documento.',
    'È giusto {}?',
    'Il modulo dice “{}”.',
    '{} e nient’altro',
  ],
};
const CALLED: Readonly<Record<string, string>> = {
  en: 'Call me: {}.',
  de: 'Telefon: {}.',
  fr: 'Téléphone : {}.',
  es: 'Teléfono: {}.',
  it: 'Telefono: {}.',
};

/**
 * Returns 2,400 sentences in five languages: 100 to 300 per category, and 500 with misleading
 * values only.
 */
export function labelledSentences(): readonly LabelledSentence[] {
  const maker = new Maker();
  const sentences: LabelledSentence[] = [];
  const add = (
    count: number,
    label: PiiCategory | null,
    make: (language: string) => string,
    frames = FRAMES,
  ) => {
    const languages = Object.keys(frames);
    for (let index = 0; index < count; index++) {
      const language = languages[index % languages.length] ?? 'en';
      const frame = maker.one(frames[language] ?? []);
      const value = make(language);
      const start = frame.indexOf('{}');
      const text = frame.replace('{}', () => value);
      sentences.push({ language, text, places: label ? [{ start, end: start + value.length, label }] : [] });
    }
  };
  add(300, 'CREDIT_CARD', () => maker.card());
  add(300, 'IBAN', () => maker.iban());
  add(300, 'EMAIL_ADDRESS', () => maker.email());
  add(300, 'SECRET', () => maker.secret());
  const called = Object.fromEntries(Object.entries(CALLED).map(([language, frame]) => [language, [frame]]));
  add(250, 'PHONE_NUMBER', (language) => maker.phone(language), called);
  add(250, 'IP_ADDRESS', () => maker.ip());
  add(100, 'SSN', () => maker.ssn());
  add(100, 'NATIONAL_ID', () => maker.nationalId());
  add(500, null, () => maker.decoy());
  return sentences;
}
