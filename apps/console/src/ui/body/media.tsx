import { useEffect, useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { bytes } from '../format';
import { Icon } from '../icons/icon';

/** Image types that the page shows. SVG is excluded because it is a document. */
const IMAGES = /^image\/(?:png|jpe?g|gif|webp|avif|\*)$/i;
const AUDIO = /^audio\/[\w.+-]+$/i;

/** Shows media of a body through a blob URL. An external URL is shown as text and never loaded. */
export function Media({
  type,
  base64,
  url,
}: {
  readonly type: string;
  readonly base64: string | null;
  readonly url: string | null;
}): ReactElement | null {
  const blob = useBlob(base64, type);
  if (base64 === null) {
    return (
      <p className="body-media xs">
        <Icon name="link" size={14} /> {uiText.body.remote(type)} <code className="ell">{url}</code>
      </p>
    );
  }
  if (blob === null) return null;
  const { href, size } = blob;
  if (href === null) return <p className="body-media xs muted">{uiText.body.broken(type)}</p>;
  const facts = uiText.body.media(type, bytes(size));
  return (
    <figure className="body-media">
      {IMAGES.test(type) && <img src={href} alt={facts} />}
      {AUDIO.test(type) && <audio controls src={href} aria-label={facts} />}
      <figcaption className="xs muted row">
        {facts}
        <a href={href} download>
          {uiText.body.save}
        </a>
      </figcaption>
    </figure>
  );
}

interface DecodedMedia {
  /** Blob URL; null when the base64 is invalid. */
  readonly href: string | null;
  readonly size: number;
}

/** Creates a blob URL and revokes it when the component unmounts. Null before it is decoded. */
function useBlob(base64: string | null, type: string): DecodedMedia | null {
  const [blob, setBlob] = useState<DecodedMedia | null>(null);
  useEffect(() => {
    if (base64 === null) return setBlob(null);
    const data = decoded(base64);
    if (data === null) return setBlob({ href: null, size: 0 });
    const safeType =
      IMAGES.test(type) || AUDIO.test(type) ? type.replace('/*', '/png') : 'application/octet-stream';
    const href = URL.createObjectURL(new Blob([data], { type: safeType }));
    setBlob({ href, size: data.length });
    return () => URL.revokeObjectURL(href);
  }, [base64, type]);
  return blob;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}
