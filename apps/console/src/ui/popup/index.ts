// Exports the buttons only. Popups import `anchor` themselves, so that it loads with their code.
export { PopupButton, type PopupProps } from './popup-button';
