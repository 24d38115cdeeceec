import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactElement } from 'react';
import { call, problemFrom, type Problem } from '../../../api';
import { useRefusal, useWorkspace, WhyNot } from '../../../app';
import { keys } from '../../../messages';
import { NotAllowed, Page } from '../../../ui/states';
import { KeyReveal } from '../parts/key-reveal';
import { pathOfType, type KeyBody, type KeyType } from '../key-types';
import { KeyWizard } from './wizard';

/**
 * Page that creates an API key. Only the state of this page holds the secret, until the dialog is
 * closed.
 */
export function NewKeyPage(): ReactElement {
  const workspace = useWorkspace();
  const refusal = useRefusal('apiKeys_create');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [made, setMade] = useState<{
    readonly id: string;
    readonly secret: string;
    readonly name: string;
  } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const isInFlight = useRef(false);

  const create = async (type: KeyType, body: KeyBody): Promise<boolean> => {
    if (isInFlight.current) return false;
    isInFlight.current = true;
    setSending(true);
    setProblem(null);
    try {
      const { data } = await call('apiKeys_create', { path: pathOfType(type) }, { body });
      setMade({ id: data.id, secret: data.key, name: body.name });
      await queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
      return true;
    } catch (error) {
      setProblem(problemFrom(error));
      return false;
    } finally {
      isInFlight.current = false;
      setSending(false);
    }
  };
  const close = (): void => {
    if (made === null) return;
    setMade(null);
    void navigate({ to: '/w/$ws/keys/$key', params: { ws: workspace.slug, key: made.id }, replace: true });
  };
  return (
    <Page
      title={keys.newTitle}
      actions={
        <Button
          variant="subtle"
          renderRoot={(props) => <Link to="/w/$ws/keys" params={{ ws: workspace.slug }} {...props} />}
        >
          {keys.cancel}
        </Button>
      }
    >
      {refusal === null ? (
        <KeyWizard problem={problem} isSending={isSending} onCreate={create} />
      ) : (
        <NotAllowed missing={refusal.scopes.join(', ')}>
          <WhyNot refusal={refusal} />
        </NotAllowed>
      )}
      <KeyReveal
        keyId={made?.id ?? ''}
        secret={made?.secret ?? null}
        name={made?.name ?? ''}
        onClose={close}
      />
    </Page>
  );
}
