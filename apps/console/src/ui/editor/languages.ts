import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';

export type CodeLanguage = 'json' | 'yaml' | 'text';

export function languageOf(language: CodeLanguage): Extension {
  if (language === 'json') return json();
  return language === 'yaml' ? yaml() : [];
}

/** Nonce of the content security policy of the page, for the styles that the editor adds. */
export const documentNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="console-nonce"]')?.content ?? '';
