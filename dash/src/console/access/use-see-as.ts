import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { setViewing, type Viewing } from '../../session/viewing.js';

/** Returns a function that starts viewing the console as another user and opens the records page. */
export function useSeeAs(): (viewing: Viewing) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (viewing) => {
    await navigate({ to: '/dash/records' });
    setViewing(viewing);
    await queries.resetQueries();
  };
}
