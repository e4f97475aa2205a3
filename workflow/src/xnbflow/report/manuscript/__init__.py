"""What a lab pastes into its paper: paragraphs, references, checklists, model cards."""
