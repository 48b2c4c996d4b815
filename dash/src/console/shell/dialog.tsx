import { type ReactNode, useEffect, useRef } from 'react';
import classes from './palette.module.css';

interface DialogProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** Shows a dialog over the page: Escape and a click beside it close it, and the focus goes back to where it was. */
export function Dialog({ label, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-label={label}
      onCancel={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <div className={classes.inside}>{children}</div>
    </dialog>
  );
}
