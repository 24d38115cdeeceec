import { Button, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call, problemFrom } from '../../../api';
import { Can, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { Reveal } from '../../../ui/code';
import { Failed } from '../../../ui/states';

const BUDGET_USD = 5;
const text = home.serviceKey;

/** Step 4 of the onboarding: creates a key with a daily budget. */
export function ServiceKey({ onDone }: { readonly onDone: () => void }): ReactElement {
  const { id: workspaceId } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState<string>(text.usual);
  const [budget, setBudget] = useState<number | string>(BUDGET_USD);
  const [secret, setSecret] = useState<string | null>(null);
  const made = useMutation({
    mutationFn: () =>
      call(
        'apiKeys_create',
        { path: { type: 'workspace', subType: 'service' } },
        {
          body: {
            name,
            workspace_id: workspaceId,
            scopes: ['completions.write'],
            usage_limits: { credit_limit: Number(budget), periodic_reset_days: 1 },
          },
        },
      ),
    onSuccess: ({ data }) => {
      setSecret(data.key);
      // The response contains the secret, which only the state of this component may hold.
      made.reset();
      void queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
    },
  });
  const close = () => {
    setSecret(null);
    onDone();
  };
  const problem = made.isError ? problemFrom(made.error) : null;
  return (
    <>
      <form
        className="row home-wrap home-form"
        onSubmit={(event) => {
          event.preventDefault();
          made.mutate();
        }}
      >
        <TextInput
          label={text.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
        />
        <NumberInput label={text.budget} value={budget} onChange={setBudget} min={0} prefix="$" required />
        <Can operation="apiKeys_create">
          <Button type="submit" loading={made.isPending}>
            {text.act}
          </Button>
        </Can>
      </form>
      {problem !== null && <Failed problem={problem} />}
      <Reveal secret={secret} name={name} onClose={close} />
    </>
  );
}
