import type { Attributes } from '@opentelemetry/api';

/** Attributes of a span; null for an attribute that the span does not have. */
export type Values = Readonly<Record<string, string | number | boolean | null>>;

export const present = (values: Values): Attributes =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Attributes;
