/** Values of fields of logs in words, where the value itself is no word. */
const WORDS: Readonly<Record<string, string>> = {
  ok: 'ok',
  provider_error: 'provider error',
  denied: 'denied',
  failed: 'failed',
  client_closed: 'client left',
  interrupted: 'interrupted',
  priced: 'priced',
  unpriced: 'unpriced',
  no_usage: 'no usage',
  estimated: 'estimated',
  yes: 'yes',
  no: 'no',
};

export const valueWord = (value: string): string => WORDS[value] ?? value;

/** An error type in words: `provider_timeout` as `provider timeout`. */
export const inWords = (type: string): string => type.replaceAll('_', ' ');
