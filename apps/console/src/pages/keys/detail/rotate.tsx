import { Button, Modal, NumberInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call, problemFrom, type Problem } from '../../../api';
import { keys } from '../../../messages';
import { moment, parseMoment } from '../../../ui/format';
import { Note, useFormat } from '../../../ui/primitives';
import { KeyReveal } from '../parts/key-reveal';
import { requiredNumberOf } from '../../fields/fields';
import type { ApiKey } from '../key-types';

const HOUR_MS = 3_600_000;
/** Default number of hours for which both secrets work. */
const USUAL_HOURS = 24;

interface RotateKeyProps {
  readonly apiKey: ApiKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface Rotated {
  readonly secret: string;
  /** Expiry of the former secret; null when it has already ended. */
  readonly until: string | null;
}

/**
 * Dialog that rotates the secret of a key. Only this component holds the new secret, until the
 * dialog is closed.
 */
export function RotateKey({ apiKey, isOpen, onClose }: RotateKeyProps): ReactElement {
  const { zone } = useFormat();
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const until = parseMoment(rotated?.until);
  return (
    <>
      <Modal opened={isOpen && rotated === null} onClose={onClose} title={keys.rotateTitle(apiKey.name)}>
        <RotateForm apiKey={apiKey} onRotated={setRotated} />
      </Modal>
      <KeyReveal
        keyId={null}
        secret={rotated?.secret ?? null}
        name={apiKey.name}
        note={until === null ? keys.oldDead : keys.bothUntil(moment(until, zone))}
        onClose={() => {
          setRotated(null);
          onClose();
        }}
      />
    </>
  );
}

function RotateForm({
  apiKey,
  onRotated,
}: {
  readonly apiKey: ApiKey;
  readonly onRotated: (rotated: Rotated) => void;
}): ReactElement {
  const queries = useQueryClient();
  const usual = apiKey.rotation_policy?.key_transition_period_ms;
  const [hours, setHours] = useState<number | ''>(usual === undefined ? USUAL_HOURS : usual / HOUR_MS);
  const [sending, setSending] = useState<'both' | 'now' | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const rotate = async (how: 'both' | 'now'): Promise<void> => {
    if (sending !== null) return;
    setSending(how);
    setProblem(null);
    const body =
      how === 'now'
        ? { revoke_previous: true }
        : { key_transition_period_ms: Math.round(Number(hours) * HOUR_MS) };
    try {
      const { data } = await call('apiKeys_rotate', { path: { id: apiKey.id } }, { body });
      onRotated({ secret: data.key, until: data.key_transition_expires_at });
      await queries.invalidateQueries({ queryKey: ['apiKeys_get'] });
      await queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSending(null);
    }
  };
  return (
    <form
      className="col fields"
      onSubmit={(event) => {
        event.preventDefault();
        void rotate('both');
      }}
    >
      <p className="sub">{keys.rotateLead}</p>
      <NumberInput
        label={keys.rotateFor}
        description={keys.rotateForHint}
        suffix={keys.hours}
        min={0.5}
        required
        value={hours}
        error={problem?.byPath.get('key_transition_period_ms')}
        onChange={(typed) => setHours((before) => requiredNumberOf(typed) ?? before)}
      />
      {problem !== null && <Note tone="danger">{problem.message}</Note>}
      <p className="sub xs">{keys.rotateNowHint}</p>
      <span className="row">
        <Button color="danger" loading={sending === 'now'} onClick={() => void rotate('now')}>
          {keys.rotateNow}
        </Button>
        <Button type="submit" className="right" variant="filled" loading={sending === 'both'}>
          {keys.rotate}
        </Button>
      </span>
    </form>
  );
}
