"""Places from which files come: folders, servers, and the cache of downloads.

=============  ==================================================================================
``downloads``  From which place does a file come, and is it the right one?
``http``       How is one URL downloaded, or only its beginning read? (The only module that
               imports requests.)
``retries``    When is a download tried again, and which limits has it?
``pinned``     Which URL and which checksum has a public file that is named in one text?
=============  ==================================================================================
"""
