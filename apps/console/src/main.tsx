import './ui/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './app/console';
import { takeClaim } from './app/session/claim';

takeClaim();
const root = document.getElementById('root');
const nonce = document.querySelector<HTMLMetaElement>('meta[name="console-nonce"]')?.content ?? '';
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Console basepath={new URL(document.baseURI).pathname} nonce={nonce} />
    </StrictMode>,
  );
