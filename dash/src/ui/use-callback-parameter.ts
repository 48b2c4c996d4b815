import { useEffect, useState } from 'react';
import { type CallbackParameters, peekCallbackParameter, takeCallbackParameter } from '../callback-parameters.js';

/** Returns a parameter of the URL and removes it from the global ones. Only this component keeps it. */
export function useCallbackParameter(key: keyof CallbackParameters): string | null {
  const [value] = useState(() => peekCallbackParameter(key));
  useEffect(() => {
    takeCallbackParameter(key);
  }, [key]);
  return value;
}
