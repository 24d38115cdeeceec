import type { ReactNode } from 'react';
import { conflict, keys } from '../../../messages';
import { amountWords, budgetWords, ratesWords, type RateLimit } from '../../fields/limit-words';

const AMOUNTS = ['usage_limits.credit_limit', 'usage_limits.alert_threshold'];

/** Formats a value of a key for the dialog on conflicting changes. */
export function shownValue(path: string, value: unknown): ReactNode {
  if (value === null || value === undefined || value === '')
    return path === 'expires_at' ? keys.never : conflict.nothing;
  if (AMOUNTS.includes(path) && typeof value === 'number') return amountWords('cost', value);
  if (path === 'usage_limits') return budgetWords(value);
  if (path === 'rate_limits') return ratesWords(value as readonly RateLimit[]);
  if (path === 'scopes') return keys.scopeCount((value as readonly string[]).length);
  if (path === 'expires_at' && typeof value === 'string') return value.slice(0, 10);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
