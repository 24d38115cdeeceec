import type { MailMessage } from '@gw/contracts';
import type { Brand } from './settings';

export interface LaidOutMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const SUBJECT_MAX = 200;

/** Renders a message as plain text and as equal HTML. User content is escaped. */
export function layOut(message: MailMessage, brand: Brand): LaidOutMail {
  const { paragraphs, action } = message;
  const closing = closingOf(brand);
  const text = [...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), ...closing].join(
    '\n\n',
  );
  const html = [
    ...(brand.logoUrl === null
      ? []
      : [`<p><img src="${escaped(brand.logoUrl)}" alt="${escaped(brand.name)}" height="40"></p>`]),
    ...paragraphs.map(paragraph),
    ...(action ? [`<p><a href="${escaped(action.url)}">${escaped(action.label)}</a></p>`] : []),
    ...(action ? [`<p>${escaped(action.url)}</p>`] : []),
    ...closing.map(paragraph),
  ].join('\n');
  return {
    subject: oneLine(message.subject).slice(0, SUBJECT_MAX),
    text: `${text}\n`,
    html: `<!doctype html>\n<html><body style="font-family: sans-serif">\n${html}\n</body></html>\n`,
  };
}

function closingOf({ name, supportEmail, docsUrl }: Brand): string[] {
  return [
    ...(docsUrl === null ? [] : [`Documentation: ${docsUrl}`]),
    ...(supportEmail === null ? [] : [`Questions: ${supportEmail}`]),
    name,
  ];
}

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
