package archive

// Archive is an archive of a content that is in no file. It shares memory with the content, and
// neither may be changed. It has no Stats and Costs: those are of files.
func (c *Content) Archive(opts ...Option) (*Archive, error) {
	a := newArchive(opts)
	a.content = c
	a.meta, a.modules, a.sites, a.groups, a.extra = c.Meta, c.Modules, c.Sites, c.Groups, c.extra
	a.context = &classContext{contexts: newContexts(), columns: len(c.Columns), timings: len(c.Timings)}
	a.templates = make([]lazy[Template], len(c.Templates))
	a.columns, a.timings = blobs{list: c.Columns}, blobs{list: c.Timings}
	err := a.makeRealms()
	if err == nil {
		err = a.readClasses()
	}
	if err != nil {
		return nil, named(err, a.file)
	}
	return a, nil
}

// Content loads all that the archive holds. It shares memory with the archive and must not be
// changed.
func (a *Archive) Content() (*Content, error) {
	if a.projection != nil {
		return a.storable()
	}
	c := &Content{Meta: a.meta, Modules: a.modules, Sites: a.sites, Groups: a.groups, extra: a.extra}
	for i := range a.templates {
		t, err := a.template(i)
		if err != nil {
			return nil, err
		}
		c.Templates = append(c.Templates, t)
	}
	for _, cl := range a.classes {
		d, err := cl.Data()
		if err != nil {
			return nil, err
		}
		c.Classes = append(c.Classes, d)
	}
	for i := range a.context.columns {
		b, err := a.column(i)
		if err != nil {
			return nil, err
		}
		c.Columns = append(c.Columns, b)
	}
	for i := range a.timings.len() {
		b, err := a.blob(&a.timings, uint32(i))
		if err != nil {
			return nil, err
		}
		c.Timings = append(c.Timings, b)
	}
	return c, nil
}
