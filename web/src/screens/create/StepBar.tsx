interface Props {
  steps: readonly string[];
  at: number;
  onGo: (step: number) => void;
}

/** The steps of a wizard; those that were done can be gone back to. */
export function StepBar({ steps, at, onGo }: Props) {
  return (
    <ol className="dp-steps" aria-label="Steps">
      {steps.map((step, index) => (
        <li key={step} aria-current={index === at ? "step" : undefined} data-done={index < at}>
          <button type="button" disabled={index > at} onClick={() => onGo(index)}>
            <span className="dp-step-number" aria-hidden="true">
              {index < at ? "✓" : index + 1}
            </span>
            {step}
          </button>
        </li>
      ))}
    </ol>
  );
}
