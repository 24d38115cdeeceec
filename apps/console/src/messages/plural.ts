import { lazily } from './lazily';

const rules = lazily(() => new Intl.PluralRules('en'));
const numbers = lazily(() => new Intl.NumberFormat('en'));

/** `plural(2, { one: 'key', other: 'keys' })` is `2 keys`. */
export const plural = (count: number, forms: { readonly one: string; readonly other: string }): string =>
  `${numbers().format(count)} ${rules().select(count) === 'one' ? forms.one : forms.other}`;
