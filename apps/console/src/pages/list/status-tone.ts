/** Tone of the row of a key or provider by its status. */
export const statusTone = ({ status }: { readonly status?: string | null }): 'danger' | 'warn' | undefined =>
  status === 'active' ? undefined : status === 'expired' ? 'warn' : 'danger';
