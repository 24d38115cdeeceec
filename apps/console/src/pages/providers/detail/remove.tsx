import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Note } from '../../../ui/primitives';
import { RemoveDialog } from '../../fields/remove-dialog';
import type { Provider } from '../provider-types';

interface RemoveProviderProps {
  /** A provider or virtual key. */
  readonly provider: Pick<Provider, 'name' | 'used_by'>;
  readonly lead: string;
  /** The list to invalidate after the deletion. */
  readonly list: 'providers_list' | 'virtualKeys_list';
  readonly onRemove: () => Promise<unknown>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * Dialog that deletes a provider or virtual key. It requires the typed name and shows how many
 * configs and keys use it.
 */
export function RemoveProvider({
  provider: { name, used_by },
  lead,
  list,
  onRemove,
  isOpen,
  onClose,
}: RemoveProviderProps): ReactElement {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = async (): Promise<void> => {
    await onRemove();
    await queries.invalidateQueries({ queryKey: [list] });
    onClose();
    await navigate({ to: '/w/$ws/providers', params: { ws: workspace.slug }, replace: true });
  };
  const isUsed = used_by !== undefined && used_by.configs + used_by.api_keys > 0;
  return (
    <RemoveDialog
      isOpen={isOpen}
      onClose={onClose}
      title={providers.removeTitle(name)}
      action={providers.remove}
      name={name}
      nameLabel={providers.removeName(name)}
      onRemove={remove}
    >
      <p>{lead}</p>
      {isUsed && <Note tone="warn">{providers.removeUses(used_by.configs, used_by.api_keys)}</Note>}
    </RemoveDialog>
  );
}
