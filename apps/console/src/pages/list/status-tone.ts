/** Tone of a table row for the status of a key or provider. */
export const statusTone = ({ status }: { readonly status?: string | null }): 'danger' | 'warn' | undefined =>
  status === 'active' ? undefined : status === 'expired' ? 'warn' : 'danger';
