import type { ReactElement } from 'react';
export function ProviderModels({ slug }: { readonly slug: string }): ReactElement {
  return <p>{slug}</p>;
}
