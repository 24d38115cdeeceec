import type { ReactElement } from 'react';

/** Logo of the product: a gate arm. */
export function BrandMark({ size = 22 }: { readonly size?: number }): ReactElement {
  return (
    <svg width={size} height={size} viewBox="0 0 22 22" aria-hidden="true" focusable="false">
      <rect width="22" height="22" rx="6" fill="var(--ink)" />
      <g fill="none" strokeLinecap="round">
        <path d="M5.2 17V8.2" stroke="var(--on-ink)" strokeWidth="2.2" />
        <path d="M5.2 9.4 17 5.2" stroke="var(--gate)" strokeWidth="2.4" />
        <path d="M16.8 17v-3.4" stroke="var(--on-ink)" strokeWidth="2.2" />
      </g>
    </svg>
  );
}
