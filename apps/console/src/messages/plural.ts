import { english } from '../ui/format/english';
import { lazily } from './lazily';

/** As many as `Intl` writes by itself. */
const DECIMALS = 3;
const numbers = lazily(() => new Intl.NumberFormat('en'));

/** `plural(2, { one: 'key', other: 'keys' })` is `2 keys`. */
export const plural = (count: number, forms: { readonly one: string; readonly other: string }): string =>
  `${english(count, 0, DECIMALS) ?? numbers().format(count)} ${count === 1 ? forms.one : forms.other}`;
