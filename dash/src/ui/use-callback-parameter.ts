import { useEffect, useState } from 'react';
import { type CallbackParameters, peekCallbackParameter, takeCallbackParameter } from '../callback-parameters.js';

/** Returns one value of the address this page was opened with, kept by the component that asks and by nobody else. */
export function useCallbackParameter(key: keyof CallbackParameters): string | null {
  const [value] = useState(() => peekCallbackParameter(key));
  useEffect(() => {
    takeCallbackParameter(key);
  }, [key]);
  return value;
}
